import { i18n } from '../../lib/i18n.ts'
import { loadApplicationFile } from '../../lib/load-file.ts'

function library() {
  return loadApplicationFile(() => import('@simplewebauthn/browser'))
}

/**
 * Returns the response of an authenticator as JSON.
 * @throws Error if the user cancels, or if no authenticator can respond
 */
async function answerOf(request: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await request)
  } catch (error) {
    throw new Error(i18n.t('account:passkey.failed'), { cause: error })
  }
}

/** Creates a passkey. @param options JSON of `startPasskey` @returns JSON for `addPasskey` */
export async function createPasskey(options: string): Promise<string> {
  const { startRegistration } = await library()
  return answerOf(startRegistration({ optionsJSON: JSON.parse(options) }))
}

/** Uses a passkey. @param options JSON of `getLoginFactors` @returns JSON for `finishPasskeyLogin` */
export async function askForPasskey(options: string): Promise<string> {
  const { startAuthentication } = await library()
  return answerOf(startAuthentication({ optionsJSON: JSON.parse(options) }))
}
