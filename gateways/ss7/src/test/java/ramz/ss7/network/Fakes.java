// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.lang.reflect.Proxy;

/** Stand-ins for interfaces of the libraries, of which a test needs a method or two. */
final class Fakes {
  /** What a method returns. */
  interface Answer {
    Object to(String method, Object[] arguments);
  }

  private Fakes() {}

  static <T> T fake(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> answer.to(method.getName(), arguments)));
  }
}
