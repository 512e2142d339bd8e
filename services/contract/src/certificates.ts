import { type Static, Type } from 'typebox'
import { nullableString, stringEnum } from './kit.ts'
import { languageCodes } from './languages.ts'
import { Limits, notEmpty } from './limits.ts'

export const certificatePapers = ['A4', 'Letter'] as const
export const CertificatePaper = stringEnum(certificatePapers, { title: 'CertificatePaper' })
export type CertificatePaper = Static<typeof CertificatePaper>

export const certificateOrientations = ['landscape', 'portrait'] as const
export const CertificateOrientation = stringEnum(certificateOrientations, { title: 'CertificateOrientation' })
export type CertificateOrientation = Static<typeof CertificateOrientation>

/** Pictures of a certificate, each uploaded separately. */
export const certificatePictures = ['background', 'logo', 'signature'] as const
export type CertificatePicture = (typeof certificatePictures)[number]

/** Placeholders in the texts of a certificate, such as `{team}`. A certificate shows the values instead of the placeholders. */
export const certificatePlaceholders = ['team', 'user', 'rank', 'points', 'game', 'date', 'division'] as const
export type CertificatePlaceholder = (typeof certificatePlaceholders)[number]

export const placeholderPattern = /\{([a-z]{1,20})\}/g

/** Returns the first word in braces that is not a placeholder. @returns undefined if all words in braces are placeholders */
export function findUnknownPlaceholder(text: string): string | undefined {
  for (const [whole, name] of text.matchAll(placeholderPattern))
    if (!certificatePlaceholders.some((known) => known === name)) return whole
  return undefined
}

function text(description: string) {
  return Type.String({ ...notEmpty, maxLength: Limits.maxCertificateTextLength, description })
}

const layout = {
  isEnabled: Type.Boolean({ description: 'True if players can download certificates after the end of the game.' }),
  signer: Type.String({ maxLength: Limits.maxCertificateSignerLength, description: 'Text below the signature. Empty: none.' }),
  paper: CertificatePaper,
  orientation: CertificateOrientation,
  language: stringEnum(languageCodes, { description: 'Language of dates and numbers.' }),
}

const linesHint = 'A line that starts with `# ` is emphasized. A line is left out if one of its placeholders has no value.'

export const CertificateWrite = Type.Object(
  {
    ...layout,
    title: Type.String({ ...notEmpty, maxLength: Limits.maxCertificateTitleLength }),
    text: text(`Text for teams with a rank. ${linesHint}`),
    participationText: text('Text for teams without a rank.'),
  },
  { title: 'CertificateWrite' },
)
export type CertificateWrite = Static<typeof CertificateWrite>

function picture() {
  return nullableString({ description: 'Address of the picture, or null.' })
}

export const Certificate = Type.Object(
  {
    ...layout,
    title: Type.String({ description: 'Empty if the game has no template yet.' }),
    text: Type.String(),
    participationText: Type.String(),
    background: picture(),
    logo: picture(),
    signature: picture(),
  },
  { title: 'Certificate' },
)
export type Certificate = Static<typeof Certificate>
