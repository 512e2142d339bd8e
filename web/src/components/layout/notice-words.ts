import type { GameNotice } from '@capstan/contract/games'
import { i18n, loadTextsOfAreas } from '../../lib/i18n.ts'

export type NoticeWords = Readonly<{
  title: string
  text: string
}>

/** Returns a notice as plain text in the visitor's language. */
export async function toPlainNoticeText({ type, values }: Pick<GameNotice, 'type' | 'values'>): Promise<NoticeWords> {
  await loadTextsOfAreas(['notices'])
  const t = i18n.getFixedT(null, 'notices')
  const title = t(`type.${type}`)
  if (type === 'Normal') return { title, text: plainText(values[0] ?? '') }
  if (type === 'NewHint' || type === 'NewChallenge')
    return { title, text: withoutMarks(t(`text.${type}`, { challenge: values[0] ?? '' })) }
  return { title, text: withoutMarks(t('text.blood', { team: values[0] ?? '', challenge: values[1] ?? '' })) }
}

function withoutMarks(text: string) {
  return text.replace(/<\/?(who|what)>/g, '')
}

/** Removes Markdown syntax and joins the lines. */
function plainText(source: string) {
  return source
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/^[ \t]*(#{1,6}|>|[-*+]|\d+\.)[ \t]+/gm, '')
    .replace(/(?<![\p{L}\p{N}])[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
