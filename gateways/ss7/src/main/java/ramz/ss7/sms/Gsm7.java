// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.sms;

/** The GSM 7 bit default alphabet with its extension table, 3GPP TS 23.038 6.2.1. Octets hold one septet each, as SMPP carries them. */
final class Gsm7 {
  private static final int escape = 0x1b;
  private static final String basic =
      "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
          + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
  private static final String extensionCodes = "\n\u0014\u0028\u0029\u002f\u003c\u003d\u003e\u0040\u0065";
  private static final String extension = "\f^{}\\[~]|€";

  private Gsm7() {}

  /** Text of septets; a septet that stands for nothing is a space. */
  static String decode(byte[] septets) {
    var text = new StringBuilder(septets.length);
    for (int at = 0; at < septets.length; at += 1) {
      int code = septets[at] & 0x7f;
      if (code == escape && at + 1 < septets.length) {
        at += 1;
        int place = extensionCodes.indexOf(septets[at] & 0x7f);
        text.append(place < 0 ? ' ' : extension.charAt(place));
      } else {
        text.append(code == escape ? ' ' : basic.charAt(code));
      }
    }
    return text.toString();
  }

  /** Septets of a character; 0 = the alphabet does not have it. */
  static int septetsOf(char letter) {
    if (letter != escape && basic.indexOf(letter) >= 0) return 1;
    return extension.indexOf(letter) >= 0 ? 2 : 0;
  }

  static boolean has(String text) {
    return text.chars().allMatch(letter -> septetsOf((char) letter) > 0);
  }
}
