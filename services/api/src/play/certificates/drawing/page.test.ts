import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createFonts } from './fonts.ts'
import { type CertificatePage, createPageDrawer } from './page.ts'

const draw = createPageDrawer(createFonts())

const page: CertificatePage = {
  title: 'Certificate',
  text: 'for\n# \u2068Kernel Panic\u2069',
  signer: 'Ada, chair',
  paper: 'A4',
  orientation: 'landscape',
  language: 'en-US',
  date: new Date('2026-05-01T00:00:00Z'),
  background: undefined,
  logo: undefined,
  signature: undefined,
}

function textOf(pdf: Uint8Array): string {
  return Buffer.from(pdf).toString('latin1')
}

function pageCountOf(pdf: Uint8Array): number {
  return textOf(pdf).match(/\/Type \/Page\n/g)?.length ?? 0
}

test('draws a certificate on one page, and returns equal bytes for equal input', async () => {
  const [first, second] = [await draw(page), await draw(page)]
  expect(textOf(first).slice(0, 5)).toBe('%PDF-')
  expect(Buffer.compare(first, second)).toBe(0)
  expect(pageCountOf(first)).toBe(1)
})

test.each([
  ['A4', 'landscape', '[0 0 841.89 595.28]'],
  ['A4', 'portrait', '[0 0 595.28 841.89]'],
  ['Letter', 'landscape', '[0 0 792 612]'],
  ['Letter', 'portrait', '[0 0 612 792]'],
] as const)('draws a page of the size %s in %s orientation', async (paper, orientation, box) => {
  expect(textOf(await draw({ ...page, paper, orientation }))).toContain(`/MediaBox ${box}`)
})

test('the longest text fits on one page', async () => {
  const text = Array.from({ length: 100 }, () => 'a text of words').join('\n')
  const pdf = await draw({ ...page, title: 'W'.repeat(100), text, orientation: 'portrait', signer: 's '.repeat(60) })
  expect(pageCountOf(pdf)).toBe(1)
})

test.each(['landscape', 'portrait'] as const)(
  'a signer text with the names of a large team fits on one page in %s orientation',
  async (orientation) => {
    const names = Array.from({ length: 120 }, (_, index) => `member number ${index}`).join(', ')
    expect(pageCountOf(await draw({ ...page, orientation, signer: names }))).toBe(1)
  },
)

test('embeds the background, the logo and the signature in the PDF', async () => {
  const picture = sharp({ create: { width: 40, height: 20, channels: 4, background: { r: 200, g: 20, b: 20, alpha: 0.5 } } })
  const png = await picture.clone().png().toBuffer()
  const pdf = await draw({ ...page, background: await picture.clone().flatten().jpeg().toBuffer(), logo: png, signature: png })
  expect(textOf(pdf)).toContain('/DCTDecode')
  expect(textOf(pdf).match(/\/SMask \d/g)?.length).toBe(2)
})
