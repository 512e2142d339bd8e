import type { GatewayLogger } from '../log.ts'
import type { Certificate } from './tls-endpoint.ts'

export type CertificateWatchOptions = Readonly<{
  current: Certificate
  /**
   * Reads the current certificate.
   * @throws Error if certificate and key do not match
   */
  read: () => Certificate
  everyMs: number
  onRenewed: (certificate: Certificate) => void
  log: GatewayLogger
}>

/**
 * Checks regularly for a renewed certificate. The files are read at intervals. A file watch would miss changes, because
 * Kubernetes replaces a link to the folder of the files, and not the files. A certificate that does not match its key
 * is ignored, because the two files may have been read during the replacement.
 * @returns a function that stops the checks
 */
export function watchCertificate({ current, read, everyMs, onRenewed, log }: CertificateWatchOptions): () => void {
  let used = current
  let failures = 0

  function look(): void {
    try {
      const found = read()
      failures = 0
      if (found.certificate === used.certificate && found.key === used.key) return
      used = found
      onRenewed(found)
      log.info({}, 'Loaded a renewed certificate')
    } catch (error) {
      failures += 1
      // Warn only at the second failure in a row. At the first failure, a replacement of the files may be in progress.
      if (failures === 2) log.warn({ err: error }, 'The certificate of instances cannot be read: the previous one remains in use')
    }
  }

  const timer = setInterval(look, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
