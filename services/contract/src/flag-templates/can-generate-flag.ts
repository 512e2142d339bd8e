import { InputLimits, Limits } from '../limits.ts'
import { listLeetReplacements } from './leet.ts'
import { guidMarker, parseTemplate, teamHashMarker } from './parse.ts'

const markers = [
  { marker: teamHashMarker, length: Limits.teamHashLength },
  { marker: guidMarker, length: InputLimits.uuidLength },
]

/** True if the template can generate the flag. A blank template generates `flag{<UUID>}`. */
export function canGenerateFlag(template: string, flag: string): boolean {
  const { text, table } = parseTemplate(template.trim() === '' ? `flag{${guidMarker}}` : template)
  const characters = [...text]
  const choices = listLeetReplacements(text, table)
  const rest = [...flag]
  let [at, read] = [0, 0]
  while (at < characters.length) {
    const found = markers.find(({ marker }) => characters.slice(at, at + marker.length).join('') === marker)
    const part = rest.slice(read, read + (found?.length ?? 1)).join('')
    if (found ? part.length < found.length || !/^[0-9a-f-]+$/.test(part) : !(part !== '' && choices[at]?.includes(part)))
      return false
    at += found?.marker.length ?? 1
    read += found?.length ?? 1
  }
  return read === rest.length
}
