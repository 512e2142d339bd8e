import { type CertificateWrite, certificatePlaceholders, findUnknownPlaceholder } from '@capstan/contract/certificates'
import { Problem } from '@capstan/contract/problems'

/**
 * Returns a problem if the template contains an unknown placeholder.
 * @returns undefined if the template is valid
 */
export function refuseInvalidCertificateTemplate({
  title,
  text,
  participationText,
  signer,
}: CertificateWrite): Problem | undefined {
  const placeholder = findUnknownPlaceholder([title, text, participationText, signer].join('\n'))
  if (placeholder === undefined) return undefined
  const known = certificatePlaceholders.map((name) => `{${name}}`).join(', ')
  return new Problem('certificate.placeholder', {
    text: { code: 'certificate.placeholder.known', values: { placeholder, known } },
  })
}
