// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

/** The outline of a message in ASN.1's basic encoding, ITU-T X.690 8.1: tags and lengths, and nothing of their meaning. */
final class Ber {
  /** More than any message of TCAP has. */
  private static final int deepest = 32;
  private static final int constructed = 0x20;
  private static final int indefinite = -1;
  private static final int unreadable = -2;

  private final byte[] octets;
  private int at;

  private Ber(byte[] octets) {
    this.octets = octets;
  }

  /** Whether every length in the first element is one that the message has room for. The stack would reserve memory for any other. */
  static boolean isWhole(byte[] octets) {
    return new Ber(octets).element(octets.length, 0);
  }

  private boolean element(int end, int depth) {
    if (depth > deepest || at >= end) return false;
    int tag = octets[at++];
    if ((tag & 0x1f) == 0x1f && !restOfTag(end)) return false;
    int length = length(end);
    boolean isConstructed = (tag & constructed) != 0;
    if (length == indefinite) return isConstructed && untilItsEnd(end, depth);
    if (length == unreadable || length > end - at) return false;
    int last = at + length;
    if (isConstructed) while (at < last) if (!element(last, depth + 1)) return false;
    at = last;
    return true;
  }

  private boolean restOfTag(int end) {
    while (at < end) if ((octets[at++] & 0x80) == 0) return true;
    return false;
  }

  private int length(int end) {
    if (at >= end) return unreadable;
    int first = octets[at++] & 0xff;
    if (first < 0x80) return first;
    if (first == 0x80) return indefinite;
    int count = first & 0x7f;
    if (count > 4 || count > end - at) return unreadable;
    int length = 0;
    while (count-- > 0) length = length << 8 | octets[at++] & 0xff;
    return length < 0 ? unreadable : length;
  }

  /** Elements up to two zeros. */
  private boolean untilItsEnd(int end, int depth) {
    while (end - at >= 2) {
      if (octets[at] == 0 && octets[at + 1] == 0) {
        at += 2;
        return true;
      }
      if (!element(end, depth + 1)) return false;
    }
    return false;
  }
}
