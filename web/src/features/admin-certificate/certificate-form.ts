import { type Certificate, type CertificateWrite, findUnknownPlaceholder } from '@capstan/contract/certificates'
import { Limits } from '@capstan/contract/limits'

export type CertificateTextField = 'title' | 'text' | 'participationText' | 'signer'

/** Texts of the example certificate, in the language of the page. */
export type ExampleTexts = Pick<CertificateWrite, 'title' | 'text' | 'participationText' | 'language'>

/** Maximum length of each text of the template. */
export const maxLengths: Readonly<Record<CertificateTextField, number>> = {
  title: Limits.maxCertificateTitleLength,
  text: Limits.maxCertificateTextLength,
  participationText: Limits.maxCertificateTextLength,
  signer: Limits.maxCertificateSignerLength,
}

/** Returns the stored template. If the game has none, returns the example. */
export function toCertificateForm(
  { background: _background, logo: _logo, signature: _signature, ...stored }: Certificate,
  example: ExampleTexts,
): CertificateWrite {
  return stored.title === '' ? { ...stored, ...example } : stored
}

export type CertificateFault = Readonly<{ kind: 'missing' }> | Readonly<{ kind: 'placeholder'; placeholder: string }>

function faultOf(field: CertificateTextField, text: string): CertificateFault | undefined {
  if (text.trim() === '' && field !== 'signer') return { kind: 'missing' }
  const placeholder = findUnknownPlaceholder(text)
  return placeholder === undefined ? undefined : { kind: 'placeholder', placeholder }
}

export function findCertificateFaults(form: CertificateWrite): Partial<Record<CertificateTextField, CertificateFault>> {
  const faults = (Object.keys(maxLengths) as CertificateTextField[]).flatMap((field) => {
    const fault = faultOf(field, form[field])
    return fault ? [[field, fault] as const] : []
  })
  return Object.fromEntries(faults)
}
