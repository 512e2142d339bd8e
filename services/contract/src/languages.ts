import { cacheByHeader } from './header-cache.ts'
import { HeaderLimits } from './limits.ts'

/** The ten languages of pages, titles, emails and sheets. The first language is the fallback. */
export const languageCodes = ['en-US', 'zh-CN', 'zh-TW', 'ja-JP', 'id-ID', 'ko-KR', 'ru-RU', 'de-DE', 'fr-FR', 'es-ES'] as const
export type LanguageCode = (typeof languageCodes)[number]

export const defaultLanguage: LanguageCode = languageCodes[0]

/** Matches language tags of traditional Chinese, which have the script Hant or a region where this script is used. */
const traditionalChinese = /^zh-(hant|tw|hk|mo)\b/

/** Returns the language for a tag such as `de-AT`, `de` or `zh-Hant-HK` (RFC 5646). @returns undefined if no language matches */
export function matchLanguage(tag: string): LanguageCode | undefined {
  const wanted = tag.trim().toLowerCase()
  if (traditionalChinese.test(wanted)) return 'zh-TW'
  const primary = wanted.split('-')[0]
  return (
    languageCodes.find((code) => code.toLowerCase() === wanted) ??
    languageCodes.find((code) => code.toLowerCase().split('-')[0] === primary)
  )
}

/**
 * Returns the supported language that an Accept-Language header prefers (RFC 9110, section 12.5.4). Of languages with equal
 * weights, the first in the header wins.
 */
export function negotiateLanguage(header: string | undefined): LanguageCode {
  if (!header || header.length > HeaderLimits.maxAcceptLanguageBytes) return defaultLanguage
  return negotiate(header)
}

const negotiate = cacheByHeader((header): LanguageCode => {
  const wishes = header
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { tag } of wishes) {
    const language = matchLanguage(tag)
    if (language) return language
  }
  return defaultLanguage
})
