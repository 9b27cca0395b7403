// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import ramz.ss7.settings.Settings;
import ramz.ss7.settings.SettingsFile;

/** {@code java … ramz.ss7.Main settings.json}: runs the gateway until SIGTERM. */
public final class Main {
  private static final int patienceSeconds = 35;

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      System.err.println("usage: ramz.ss7.Main <settings.json>");
      System.exit(2);
    }
    logToStandardError();
    Settings settings = read(Path.of(arguments[0]));
    var gateway = new Gateway(settings);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        gateway.stop(patienceSeconds);
      } catch (Exception error) {
        System.err.println("not stopped cleanly: " + error);
      }
    }));
    System.out.println("ready smpp=%d http=%d".formatted(gateway.smppPort(), gateway.httpPort()));
  }

  private static Settings read(Path path) {
    try {
      return SettingsFile.read(path);
    } catch (IOException error) {
      System.err.println(path + ": can not be read: " + error.getMessage());
    } catch (SettingsFile.Invalid error) {
      for (String each : error.problems) System.err.println(path + ": " + each);
    }
    System.exit(2);
    throw new IllegalStateException();
  }

  /** The libraries are silent but for errors: they log the addresses of messages, and some log the messages. */
  public static void logToStandardError() {
    var appender = new ConsoleAppender(new PatternLayout("%d{ISO8601} %p %c{1} %m%n"), "System.err");
    Logger.getRootLogger().addAppender(appender);
    Logger.getRootLogger().setLevel(Level.ERROR);
    Logger.getLogger("ramz").setLevel(Level.INFO);
  }
}
