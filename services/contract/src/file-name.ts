import { InputLimits } from './limits.ts'

/**
 * Returns the name of an uploaded file without folders and control characters. A long name is cut at the start, to keep the
 * extension. Names are displayed and sent, but never used as paths.
 */
export function sanitizeFileName(name: string | undefined, fallback = 'file'): string {
  const base = (name ?? '').split(/[\\/]/).at(-1) ?? ''
  const clean = base.replaceAll(/\p{Cc}/gu, '').trim()
  const short = [...clean].slice(-InputLimits.maxUploadNameLength).join('')
  return short === '' || short === '.' || short === '..' ? fallback : short
}
