// Paths of the web client to which identity providers send users. Every page loads this file, so it imports no schema.

/** Returns the path of the page to which an identity provider sends users back. */
export function signInReturnPath(key: string): string {
  return `/account/sign-in/${key}`
}

/** Path of the page to which a provider sends users after a log-out. */
export const signedOutPath = '/account/login'
