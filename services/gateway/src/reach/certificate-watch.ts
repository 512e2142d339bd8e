import type { GatewayLogger } from '../log.ts'
import type { Certificate } from './tls-endpoint.ts'

export interface CertificateWatchOptions {
  readonly current: Certificate
  /** What is there now. @throws where that is no certificate with its key */
  readonly read: () => Certificate
  readonly everyMs: number
  readonly onRenewed: (certificate: Certificate) => void
  readonly log: GatewayLogger
}

/**
 * Looks again and again whether a certificate was renewed where it was read. Kubernetes replaces the files of a Secret behind a link,
 * so that the files themselves never change: they are read anew. What is no pair stays unused: certificate and key may have been read
 * while they were replaced.
 * @returns what ends it
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
      log.info({}, 'Took over a renewed certificate')
    } catch (error) {
      failures += 1
      // The first time it may be on its way.
      if (failures === 2) log.warn({ err: error }, 'The certificate of instances cannot be read again: the one from before stays')
    }
  }

  const timer = setInterval(look, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
