import { InputLimits } from './limits.ts'

/**
 * The name of an uploaded file without folders and control characters, and not too long (the end is kept, for the
 * extension). Names are shown and sent, never used as paths.
 */
export const tidyFileName = (name: string | undefined, fallback = 'file'): string => {
  const base = (name ?? '').split(/[\\/]/).at(-1) ?? ''
  const clean = base.replaceAll(/\p{Cc}/gu, '').trim()
  const short = [...clean].slice(-InputLimits.uploadNameMaxLength).join('')
  return short === '' || short === '.' || short === '..' ? fallback : short
}
