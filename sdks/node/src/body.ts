// The body of an answer, as far as it may go.

import { ServerError } from './errors.ts';

/** Bytes after decompression. No answer of the service comes near it; what does is somebody else's. */
export const largestBytes = 16 * 1024 * 1024;

/** Throws a ServerError for a body that is larger than any answer. */
export async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader?.();
  // A `fetch` of somebody's own may have bodies of another kind.
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > largestBytes) {
      // Not awaited: it may wait for something that does not come.
      reader.cancel().catch(() => {});
      throw tooLarge(response.status);
    }
    text += decoder.decode(value, { stream: true });
  }
}

const tooLarge = (status: number): ServerError =>
  new ServerError({ status, code: '', message: 'larger than any answer of Ramz', requestId: '', details: {} });
