// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The example of docs/ss7.md, as it stands there and bent in one place at a time. */
final class SettingsFileTest {
  private static final String example = example();

  /** The first block of JSON on the page. */
  private static String example() {
    try {
      var block = Pattern.compile("```json\\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("../../docs/ss7.md")));
      assertTrue(block.find());
      return block.group(1);
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  private static List<String> problems(String text) {
    return assertThrows(SettingsFile.Invalid.class, () -> SettingsFile.parse(text)).problems;
  }

  @Test
  void theExampleIsReadAndWhatItLeavesOutHasItsDefault() throws Exception {
    Settings settings = SettingsFile.parse(example);
    assertEquals(List.of(4097, 4098), settings.m3ua().associations().stream().map(Settings.Association::pointCode).toList());
    assertEquals(new Settings.Route("", 4097, 4098, "global_title"), settings.sccp().routes().get(0));
    assertEquals(2000, settings.map().maxDialogues());
    assertEquals(null, settings.m3ua().networkAppearance());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      "port": 2775                              | "port": "2775"             | smpp.port: string found, integer expected
      "point_code": 4899                        | "point_code": 16384        | m3ua.point_code: must have a maximum value of 16383
      "name": "stp-b"                           | "name": "stp-a"            | m3ua.associations[1].name: is that of another association
      "point_code": 4098                        | "point_code": 4899         | m3ua.associations[1].point_code: is the gateway's own
      "backup_point_code": 4098                 | "backup_point_code": 5     | sccp.routes[0].backup_point_code: no association leads there
      "local_port": 2906                        | "local_port": 2905         | m3ua.associations[1].local_port: is that of another association of this host
      "role": "asp"                             | "role": "stp"              | m3ua.role: does not have a value in the enumeration
      "traffic_mode": "loadshare"               | "trafic_mode": "override"  | m3ua: property 'trafic_mode' is not defined
      "map": { "service_centre": "213550000002" } | "map": {}                | map: required property 'service_centre' not found
      """)
  void whatIsWrongIsSaidWithItsPath(String right, String wrong, String problem) {
    assertTrue(example.contains(right), right);
    var found = problems(example.replace(right, wrong));
    assertTrue(found.stream().anyMatch(each -> each.startsWith(problem)), found.toString());
  }

  @Test
  void severalAssociationsOfAHostMayHaveAnyPort() throws Exception {
    String anyPort = example.replaceAll("\"local_port\": \\d+", "\"local_port\": 0");
    assertEquals(List.of(0, 0), SettingsFile.parse(anyPort).m3ua().associations().stream().map(Settings.Association::localPort).toList());
  }

  @Test
  void aServerKnowsItsClientsApartByTheirPorts() {
    String server = example.replace("\"asp\"", "\"ipsp_server\"").replace("198.51.100.2", "198.51.100.1");
    assertEquals(List.of("m3ua.associations[1].remote_port: is that of another association with this host"), problems(server));
  }

  @Test
  void whatIsMissingAtTheTopIsSaidWithoutAPath() {
    assertTrue(problems("{}").contains("required property 'smpp' not found"), problems("{}").toString());
  }

  @Test
  void textThatIsNoJsonIsSaidWithItsPlace() {
    assertTrue(problems("{\n  \"smpp\": }").get(0).startsWith("line 2, column "));
  }
}
