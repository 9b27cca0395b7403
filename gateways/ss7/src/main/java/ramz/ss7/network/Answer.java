// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

/** What became of one request to the network. */
public sealed interface Answer {
  /**
   * The HLR's answer: where to deliver.
   *
   * @param imsi of the subscriber; behind home routing a made-up one
   * @param node global title of the switching centre, or of the router in its place
   * @param isSgsn whether the node is an SGSN, which the subscriber takes messages by over packet data (gprsNodeIndicator)
   */
  record Routed(String imsi, String node, boolean isSgsn) implements Answer {}

  /** The handset, or the HLR, has acknowledged. */
  record Accepted() implements Answer {}

  /**
   * An error of MAP, 3GPP TS 29.002 17.6.
   *
   * @param code its number
   * @param detail its diagnostic or cause; null where it has none
   */
  record MapError(int code, Integer detail) implements Answer {}

  /**
   * No answer of MAP's.
   *
   * @param isSent whether the request was sent. False: the dialogue ended before it, and the other side can not have acted
   */
  record Failed(Why why, boolean isSent, String what) implements Answer {}

  enum Why {
    /** Nothing came in time: the other side may have acted on what was sent. */
    TIMEOUT,
    /** The other side broke the dialogue off, and may have acted on what was sent. */
    ABORTED,
    /** The other side refused the dialogue, and did not act. */
    REFUSED,
    /** The network did not carry the message. */
    NOT_CARRIED
  }
}
