import type { CertificatePicture } from '@capstan/contract/certificates'
import type { ImageKind } from '../../server/files/images.ts'
import type { CertificateRow } from './repository.ts'

type PictureColumn = 'backgroundHash' | 'logoHash' | 'signatureHash'

/** Column, target format and file name of each picture of a certificate. */
const pictures = {
  background: { column: 'backgroundHash', kind: 'certificateBackground', fileName: 'background.jpg' },
  logo: { column: 'logoHash', kind: 'certificatePicture', fileName: 'logo.png' },
  signature: { column: 'signatureHash', kind: 'certificatePicture', fileName: 'signature.png' },
} as const satisfies Record<CertificatePicture, { column: PictureColumn; kind: ImageKind; fileName: string }>

export function columnOfCertificatePicture(picture: CertificatePicture): PictureColumn {
  return pictures[picture].column
}

export function imageKindOfCertificatePicture(picture: CertificatePicture): ImageKind {
  return pictures[picture].kind
}

export function fileNameOfCertificatePicture(picture: CertificatePicture): string {
  return pictures[picture].fileName
}

export function listPictureHashes(row: CertificateRow | undefined): string[] {
  return Object.values(pictures).flatMap(({ column }) => row?.[column] ?? [])
}
