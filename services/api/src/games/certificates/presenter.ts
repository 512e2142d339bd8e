import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { Certificate, CertificatePicture } from '@capstan/contract/certificates'
import { defaultLanguage } from '@capstan/contract/languages'
import { fileNameOfCertificatePicture } from './pictures.ts'
import type { CertificateRow } from './repository.ts'

/** @param row undefined if the game has no template */
export function presentCertificate(row: CertificateRow | undefined): Certificate {
  const addressOf = (picture: CertificatePicture, hash: string | null | undefined) =>
    hash == null ? null : pathOfStoredFile(hash, fileNameOfCertificatePicture(picture))
  return {
    isEnabled: row?.isEnabled ?? false,
    title: row?.title ?? '',
    text: row?.text ?? '',
    participationText: row?.participationText ?? '',
    signer: row?.signer ?? '',
    paper: row?.paper ?? 'A4',
    orientation: row?.orientation ?? 'landscape',
    language: row?.language ?? defaultLanguage,
    background: addressOf('background', row?.backgroundHash),
    logo: addressOf('logo', row?.logoHash),
    signature: addressOf('signature', row?.signatureHash),
  }
}
