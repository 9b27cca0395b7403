// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.sandbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Map;
import ramz.ss7.network.Stack;
import ramz.ss7.settings.Settings;
import ramz.ss7.settings.SettingsFile;

/**
 * {@code java … ramz.ss7.sandbox.Main settings.json}: a simulated network at the other end of the gateway's associations. Each message that a
 * phone shows is a line of JSON on standard output.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    ramz.ss7.Main.logToStandardError();
    Settings settings = SettingsFile.read(Path.of(arguments[0]));
    var stack = new Stack(settings, "*", 0);
    var json = new ObjectMapper();
    new Network(stack.provider(), shown -> {
      try {
        System.out.println(json.writeValueAsString(Map.of("to", shown.to(), "from", shown.from(), "text", shown.text())));
      } catch (Exception error) {
        System.err.println("not shown: " + error);
      }
    });
    stack.connect();
    System.out.println("ready");
  }
}
