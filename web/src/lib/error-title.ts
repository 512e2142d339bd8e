import { TransportError } from './http.ts'
import { i18n } from './i18n.ts'

/**
 * Returns the text of an error in the visitor's language: the text from the server, or a local text if the server did not
 * respond.
 */
export function getErrorTitle(error: unknown): string {
  if (error instanceof TransportError) return i18n.t(`error.noAnswer.${error.kind}`, { ms: error.timeoutMs ?? 0 })
  return error instanceof Error && error.message ? error.message : i18n.t('error.unknown')
}
