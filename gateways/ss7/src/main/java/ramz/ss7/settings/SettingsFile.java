// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The one JSON file with all settings. Whatever is wrong with it is said with its path, everything at once. */
public final class SettingsFile {
  private static final ObjectMapper json =
      new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
  private static final JsonSchema schema = readSchema();

  /** What is wrong with a file: lines such as {@code m3ua.point_code: …}. */
  public static final class Invalid extends Exception {
    public final List<String> problems;

    Invalid(List<String> problems) {
      super(String.join("\n", problems));
      this.problems = List.copyOf(problems);
    }
  }

  private SettingsFile() {}

  public static Settings read(Path path) throws IOException, Invalid {
    return parse(Files.readString(path));
  }

  public static Settings parse(String text) throws Invalid {
    JsonNode document;
    try {
      document = json.readTree(text);
    } catch (JsonProcessingException error) {
      var at = error.getLocation();
      throw new Invalid(List.of("line %d, column %d: %s".formatted(at.getLineNr(), at.getColumnNr(), error.getOriginalMessage())));
    }
    var result = schema.walk(document, true);
    var problems = new ArrayList<String>();
    for (var message : result.getValidationMessages()) {
      String path = message.getInstanceLocation().toString().replaceFirst("^\\$\\.?", "");
      String problem = message.getMessage().replaceFirst("^[^:]*: ", "");
      problems.add(path.isEmpty() ? problem : path + ": " + problem);
    }
    if (!problems.isEmpty()) throw new Invalid(problems);
    Settings settings = json.convertValue(document, Settings.class);
    problems.addAll(crossCheck(settings));
    if (!problems.isEmpty()) throw new Invalid(problems);
    return settings;
  }

  /** What no schema can say. */
  private static List<String> crossCheck(Settings settings) {
    var problems = new ArrayList<String>();
    Set<String> names = new HashSet<>();
    Set<Integer> peers = new HashSet<>();
    Set<String> ends = new HashSet<>();
    Set<String> clients = new HashSet<>();
    boolean isServer = settings.m3ua().role().equals("ipsp_server");
    var associations = settings.m3ua().associations();
    for (int at = 0; at < associations.size(); at += 1) {
      var each = associations.get(at);
      peers.add(each.pointCode());
      var path = "m3ua.associations[%d]".formatted(at);
      if (!names.add(each.name())) problems.add(path + ".name: is that of another association");
      if (each.pointCode() == settings.m3ua().pointCode()) problems.add(path + ".point_code: is the gateway's own");
      // A server has one port for all, and knows its clients apart by theirs; of clients several may have "any".
      if (isServer && !clients.add(each.remoteHost() + " " + each.remotePort()))
        problems.add(path + ".remote_port: is that of another association with this host");
      if (!isServer && each.localPort() != 0 && !ends.add(each.localHost() + " " + each.localPort()))
        problems.add(path + ".local_port: is that of another association of this host");
    }
    var routes = settings.sccp().routes();
    Set<String> prefixes = new HashSet<>();
    for (int at = 0; at < routes.size(); at += 1) {
      var each = routes.get(at);
      var path = "sccp.routes[%d]".formatted(at);
      if (!prefixes.add(each.prefix())) problems.add(path + ".prefix: is that of another route");
      if (!peers.contains(each.pointCode())) problems.add(path + ".point_code: no association leads there");
      var backup = each.backupPointCode();
      if (backup != null && !peers.contains(backup)) problems.add(path + ".backup_point_code: no association leads there");
    }
    return problems;
  }

  private static JsonSchema readSchema() {
    try (InputStream in = SettingsFile.class.getResourceAsStream("/ramz/ss7/settings.schema.json")) {
      var config =
          SchemaValidatorsConfig.builder()
              .pathType(PathType.JSON_PATH)
              .applyDefaultsStrategy(new com.networknt.schema.ApplyDefaultsStrategy(true, true, true))
              .build();
      return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(in, config);
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }
}
