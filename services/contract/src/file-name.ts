import { InputLimits } from './limits.ts'

/**
 * Returns the name of an uploaded file, without folders and control characters. Long names are cut at the start, so that the
 * extension remains. Names are stored and shown, but never used as paths.
 */
export function sanitizeFileName(name: string | undefined, fallback = 'file'): string {
  const base = (name ?? '').split(/[\\/]/).at(-1) ?? ''
  const clean = base.replaceAll(/\p{Cc}/gu, '').trim()
  const short = [...clean].slice(-InputLimits.maxUploadNameLength).join('')
  return short === '' || short === '.' || short === '..' ? fallback : short
}
