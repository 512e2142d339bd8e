// Draws one certificate as a PDF with one page. Equal input gives equal bytes.
import { once } from 'node:events'
import type { CertificateOrientation, CertificatePaper } from '@capstan/contract/certificates'
import type { LanguageCode } from '@capstan/contract/languages'
import PDFDocument from 'pdfkit'
import type { Fonts } from './fonts.ts'
import { createParagraphs, type Paragraph, type Paragraphs, type TextLine } from './text-lines.ts'

/** Content of a certificate. Placeholders are already replaced. */
export type CertificatePage = Readonly<{
  title: string
  /** Lines of the text. A line that starts with `# ` is emphasized. */
  text: string
  /** Text below the signature. */
  signer: string
  paper: CertificatePaper
  orientation: CertificateOrientation
  language: LanguageCode
  /** Creation date in the properties of the PDF file. */
  date: Date
  /** JPEG that covers the page. Without it, the page gets a frame. */
  background: Uint8Array | undefined
  /** PNG with a logo, which is drawn above the title. */
  logo: Uint8Array | undefined
  /** PNG with a signature, which is drawn above the name of the signer. */
  signature: Uint8Array | undefined
}>

type Style = Readonly<{ size: number; color: string; isBold: boolean; spaceBefore: number }>

const ink = '#1b2230'
const accent = '#2f5d9b'
const titleStyle: Style = { size: 38, color: accent, isBold: true, spaceBefore: 0 }
const emphasisStyle: Style = { size: 30, color: ink, isBold: true, spaceBefore: 10 }
const textStyle: Style = { size: 17, color: ink, isBold: false, spaceBefore: 8 }
const signerStyle: Style = { size: 12, color: ink, isBold: false, spaceBefore: 4 }

const lineHeight = 1.3
/** Distance of the baseline from the top of a line, as a share of the font size. */
const ascent = 1
/** Minimum font size to which an emphasized line shrinks before it wraps, as a share of its normal size. */
const minEmphasis = 0.6
const shrinkStep = 0.95
/** Maximum height of the signer's lines, as a share of the page height. The remaining height suffices for the text. */
const maxSignerShare = 0.2

type Placed = Readonly<{ line: TextLine; style: Style; top: number }>

type Area = Readonly<{ top: number; width: number; height: number }>

/** Wraps a paragraph. Before an emphasized paragraph wraps, its font size shrinks, so that names remain on one line. */
function wrap(paragraph: Paragraph, style: Style, width: number) {
  const smallest = style.isBold ? style.size * minEmphasis : style.size
  const size = Math.min(style.size, Math.max(smallest, width / Math.max(paragraph.width, 0.01)))
  // Add a tolerance, so that no line wraps only because of rounding.
  return { style: { ...style, size }, lines: paragraph.wrap(width / size + 0.001) }
}

type Block = Readonly<{ paragraph: Paragraph; style: Style }>

function blocksOf(paragraphs: Paragraphs, { title, text, language }: CertificatePage): Block[] {
  return [
    { paragraph: paragraphs(title, language), style: titleStyle },
    ...text
      .split('\n')
      .map((line) =>
        line.startsWith('# ')
          ? { paragraph: paragraphs(line.slice(2), language), style: emphasisStyle }
          : { paragraph: paragraphs(line, language), style: textStyle },
      ),
  ]
}

function placeAll(blocks: readonly Block[], width: number, scale: number) {
  const placed: Placed[] = []
  let top = 0
  for (const { paragraph, style } of blocks) {
    const { lines, ...wrapped } = wrap(paragraph, { ...style, size: style.size * scale }, width)
    if (placed.length > 0) top += style.spaceBefore * scale
    for (const line of lines) {
      placed.push({ line, style: wrapped.style, top })
      top += wrapped.style.size * lineHeight
    }
  }
  return { placed, height: top }
}

/** Reduces all sizes until the text fits. The limits of the template guarantee that the text remains readable. */
function fit(blocks: readonly Block[], { width, height }: Omit<Area, 'top'>) {
  let scale = 1
  let result = placeAll(blocks, width, scale)
  while (result.height > height) {
    scale *= shrinkStep
    result = placeAll(blocks, width, scale)
  }
  return result
}

function drawLine(doc: PDFKit.PDFDocument, { line, style, top }: Placed, center: number): void {
  const { size, color, isBold } = style
  let x = center - (line.width * size) / 2
  doc
    .fillColor(color)
    .strokeColor(color)
    .lineWidth(size * 0.025)
  for (const { font, text, width } of line.runs) {
    doc.registerFont(font.name, font.bytes)
    doc
      .font(font.name)
      .fontSize(size)
      // Draw bold glyphs with a stroke, so that no writing system needs a separate bold font.
      .text(text, x, top + size * ascent, { lineBreak: false, features: [], baseline: 'alphabetic', fill: true, stroke: isBold })
    x += width * size
  }
}

function drawFrame(doc: PDFKit.PDFDocument, width: number, height: number): void {
  doc
    .lineWidth(3)
    .strokeColor(accent)
    .rect(22, 22, width - 44, height - 44)
    .stroke()
  doc
    .lineWidth(0.75)
    .rect(29, 29, width - 58, height - 58)
    .stroke()
}

export function createPageDrawer(fonts: Fonts) {
  const paragraphs = createParagraphs(fonts)
  return async (page: CertificatePage): Promise<Uint8Array> => {
    const doc = new PDFDocument({
      size: page.paper === 'A4' ? 'A4' : 'LETTER',
      layout: page.orientation,
      margin: 0,
      // Without a font here, the library would read its default font from a file.
      font: null as unknown as string,
      lang: page.language,
      displayTitle: true,
      info: { Title: page.title, Creator: 'Capstan', Producer: 'Capstan', CreationDate: page.date },
    })
    const chunks: Buffer[] = []
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    const ended = once(doc, 'end')
    const { width, height } = doc.page
    const [sideMargin, topMargin] = [width * 0.1, height * 0.1]
    if (page.background)
      doc.image(Buffer.from(page.background), 0, 0, { cover: [width, height], align: 'center', valign: 'center' })
    else drawFrame(doc, width, height)

    let top = topMargin
    if (page.logo) {
      const box: [number, number] = [width * 0.4, height * 0.13]
      doc.image(Buffer.from(page.logo), (width - box[0]) / 2, top, { fit: box, align: 'center', valign: 'center' })
      top += box[1] + 12
    }

    let bottom = height - topMargin
    if (page.signer !== '' || page.signature) {
      const block = { paragraph: paragraphs(page.signer, page.language), style: signerStyle }
      const signer = fit([block], { width: width * 0.5, height: height * maxSignerShare })
      bottom -= signer.height
      for (const each of signer.placed) drawLine(doc, { ...each, top: bottom + each.top }, width / 2)
      const rule = Math.min(220, width * 0.4)
      bottom -= 4
      doc
        .lineWidth(0.75)
        .strokeColor(ink)
        .moveTo((width - rule) / 2, bottom)
        .lineTo((width + rule) / 2, bottom)
        .stroke()
      if (page.signature) {
        const box: [number, number] = [rule, 56]
        bottom -= box[1] + 2
        doc.image(Buffer.from(page.signature), (width - rule) / 2, bottom, { fit: box, align: 'center', valign: 'bottom' })
      }
      bottom -= 12
    }

    const area = { top, width: width - 2 * sideMargin, height: bottom - top }
    const { placed, height: used } = fit(blocksOf(paragraphs, page), area)
    const offset = area.top + (area.height - used) / 2
    for (const each of placed) drawLine(doc, { ...each, top: offset + each.top }, width / 2)
    doc.end()
    await ended
    return Buffer.concat(chunks)
  }
}
