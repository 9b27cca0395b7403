// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
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
  private static final Logger log = Logger.getLogger(Main.class);

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      System.err.println("usage: ramz.ss7.Main <settings.json>");
      System.exit(2);
    }
    logToStandardError();
    Settings settings = read(Path.of(arguments[0]));
    keepLibrariesQuiet();
    var gateway = start(settings);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        gateway.stop(patienceSeconds);
      } catch (Exception error) {
        log.warn("not stopped cleanly: " + error);
      }
    }));
    System.out.println("ready smpp=%d http=%d".formatted(gateway.smppPort(), gateway.httpPort()));
  }

  /** Threads of a start that failed half-way would keep the process alive. */
  private static Gateway start(Settings settings) {
    try {
      return new Gateway(settings);
    } catch (Exception | LinkageError error) {
      log.error("not started", error);
      System.exit(1);
      throw new IllegalStateException();
    }
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

  /** The libraries are silent but for errors, and of those only the count is logged. */
  public static void logToStandardError() {
    var appender = new ConsoleAppender(new PatternLayout("%d{ISO8601} %p %c{1} %m%n"), "System.err");
    var own = Logger.getLogger("ramz");
    own.addAppender(appender);
    own.setAdditivity(false);
    own.setLevel(Level.INFO);
    Logger.getRootLogger().addAppender(new LibraryErrors(appender));
    Logger.getRootLogger().setLevel(Level.ERROR);
  }

  /** The stack prints the traces of some messages that it can not read; everything of our own is logged. */
  public static void keepLibrariesQuiet() {
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> log.error("in " + thread.getName(), error));
  }
}
