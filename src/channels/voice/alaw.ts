// G.711 (ITU-T G.711, 11/88): A-law and µ-law octets and 16-bit linear samples. Prompts are A-law; a trunk that knows only µ-law hears
// them through a table.

/** Silence: the quietest octet of A-law. */
export const alawSilence = 0xd5;

/** A-law octet → linear sample, -32256 to 32256. */
export function alawToLinear(octet: number): number {
  const bits = octet ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 0x0f) << 4) + (exponent === 0 ? 8 : 0x108);
  const magnitude = exponent > 1 ? mantissa << (exponent - 1) : mantissa;
  return bits & 0x80 ? magnitude : -magnitude;
}

/** Linear sample → the A-law octet next to it. Samples beyond 16 bits are clipped. */
export function linearToAlaw(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0;
  const magnitude = Math.min(sample >= 0 ? sample : -sample - 1, 0x7fff) >> 4;
  let exponent = 0;
  while (exponent < 7 && magnitude >= 0x10 << exponent) exponent += 1;
  const mantissa = (exponent < 2 ? magnitude : magnitude >> (exponent - 1)) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}

/** Linear sample → the µ-law octet next to it. */
export function linearToUlaw(sample: number): number {
  const bias = 0x84;
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + bias;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

/** A-law octet → µ-law octet. */
export const alawToUlaw: Uint8Array = Uint8Array.from({ length: 256 }, (_, octet) => linearToUlaw(alawToLinear(octet)));
