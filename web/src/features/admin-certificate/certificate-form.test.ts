import type { Certificate } from '@capstan/contract/certificates'
import { expect, it } from 'vitest'
import { findCertificateFaults, toCertificateForm } from './certificate-form.ts'

const empty: Certificate = {
  ...{ isEnabled: false, title: '', text: '', participationText: '', signer: '', paper: 'A4', orientation: 'landscape' },
  ...{ language: 'en-US', background: null, logo: null, signature: null },
}
const example = { title: 'Urkunde', text: '# {team}', participationText: '{team}', language: 'de-DE' } as const

it('the certificate form starts with the stored template, or with the example if there is none', () => {
  expect(toCertificateForm(empty, example)).toMatchObject({ ...example, isEnabled: false })
  const stored = { ...empty, title: 'Ours', text: 'a', participationText: 'b' }
  expect(toCertificateForm(stored, example)).toMatchObject({ title: 'Ours', text: 'a', language: 'en-US' })
})

it('the form reports empty texts and unknown placeholders of a certificate', () => {
  const form = toCertificateForm(empty, example)
  expect(findCertificateFaults(form)).toEqual({})
  expect(findCertificateFaults({ ...form, title: ' ', text: '{team} {captain}' })).toEqual({
    title: { kind: 'missing' },
    text: { kind: 'placeholder', placeholder: '{captain}' },
  })
})
