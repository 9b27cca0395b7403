// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

/** What became of one dialogue with the network. */
public sealed interface Answer {
  /**
   * The HLR's answer: where to deliver.
   *
   * @param imsi of the subscriber; behind home routing a made-up one
   * @param node global title of the switching centre, or of the router in its place
   */
  record Routed(String imsi, String node) implements Answer {}

  /** The handset, or the HLR, has acknowledged. */
  record Accepted() implements Answer {}

  /**
   * An error of MAP, 3GPP TS 29.002 17.6.
   *
   * @param code its number
   * @param detail its diagnostic or cause; null where it has none
   */
  record MapError(int code, Integer detail) implements Answer {}

  /** No answer of MAP's. */
  record Failed(Why why, String what) implements Answer {}

  enum Why {
    /** Nothing came in time: the other side may have acted. */
    TIMEOUT,
    /** The other side broke the dialogue off, and may have acted. */
    ABORTED,
    /** The other side refused the dialogue, and did not act. */
    REFUSED,
    /** The network did not carry the message. */
    NOT_CARRIED
  }
}
