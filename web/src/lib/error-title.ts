import { TransportError } from './http.ts'
import { i18n } from './i18n.ts'

/** Returns the text of an error in the visitor's language: the server's text, or ours if the server did not answer. */
export function errorTitle(error: unknown): string {
  if (error instanceof TransportError) return i18n.t(`error.noAnswer.${error.kind}`, { ms: error.timeoutMs ?? 0 })
  return error instanceof Error && error.message ? error.message : i18n.t('error.unknown')
}
