// Configuration: environment and file -> one typed value. The entry of src/config/; nothing else imports from inside it.

export type * from './config/types.ts';
