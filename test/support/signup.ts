// The setup of a signup on the messaging platform, as a deployment that offers it has it.
import type { SignupSetup } from '../../src/api/signup/page.ts';

export const signupSetup: SignupSetup = {
  appId: '700100200300400',
  configId: '700100200300499',
  version: 'v25.0',
  sdkUrl: 'https://connect.facebook.net/en_US/sdk.js',
  dialogUrl: 'https://www.facebook.com',
  redirectUri: 'https://verify.example/connect/messaging',
  extras: {},
  allowedOrigins: ['https://facebook.com'],
};
