// Passes the microphone's samples on, 20 times a second or more often. It runs in the browser's audio thread.

/* global AudioWorkletProcessor, registerProcessor */

registerProcessor(
  'tap',
  class extends AudioWorkletProcessor {
    #held = [];
    process([[samples] = []]) {
      if (samples === undefined) return true;
      this.#held.push(samples.slice());
      if (this.#held.length * samples.length >= 2_048) {
        this.port.postMessage(this.#held);
        this.#held = [];
      }
      return true;
    }
  },
);
