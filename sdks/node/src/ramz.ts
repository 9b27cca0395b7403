// The client over HTTP.

import { Resources } from './gen/resources.ts';
import { httpCaller } from './http.ts';
import { type Options, readOptions } from './options.ts';

/**
 * A client of the service, over HTTP. One for the whole process is enough; it holds no connection of its own.
 *
 * Throws ConfigurationError where the key or the address is missing or malformed.
 */
export class Ramz extends Resources {
  /** Where the service is. */
  readonly baseUrl: string;

  constructor(options: Options = {}) {
    const settings = readOptions(options);
    super(httpCaller(settings));
    this.baseUrl = settings.baseUrl;
  }
}
