// What a sender name may be: 1-11 characters that are the same in ASCII and in the GSM alphabet.
// source_addr is ASCII on the wire (SMPP v3.4 section 5.2.8); @ $ _ and the like arrive as something else on some SMSCs.

import { z } from 'zod';

export const senderIdSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(11, 'is too long: a sender name has at most 11 characters')
  .regex(
    /^[A-Za-z0-9 !"#%&'()*+,\-./:;<=>?]*$/,
    'may hold letters, digits, space and ! " # % & \' ( ) * + , - . / : ; < = > ? only',
  );
