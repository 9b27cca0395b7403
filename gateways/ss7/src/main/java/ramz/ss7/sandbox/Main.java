// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.sandbox;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import ramz.ss7.network.Stack;
import ramz.ss7.settings.Settings;
import ramz.ss7.settings.SettingsFile;

/**
 * {@code java … ramz.ss7.sandbox.Main settings.json}: a simulated network at the other end of the gateway's associations. What it is asked
 * for, and each message that a phone shows, is a line of JSON on standard output.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    ramz.ss7.Main.logToStandardError();
    Settings settings = SettingsFile.read(Path.of(arguments[0]));
    ramz.ss7.Main.keepLibrariesQuiet();
    var stack = new Stack(settings, "*", 0);
    var json = new ObjectMapper().setDefaultPropertyInclusion(Include.NON_NULL);
    new Network(stack.provider(), event -> {
      try {
        System.out.println(json.writeValueAsString(event));
      } catch (JsonProcessingException error) {
        throw new IllegalStateException(error);
      }
    });
    stack.connect();
    System.out.println("ready");
  }
}
