import type { ComposeSurvey } from './compose-files.ts'
import type { Reason } from './reason.ts'
import type { DialectSurvey, Survey } from './survey.ts'

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}

function reasonLine({ file, why }: Reason): string {
  return `  ${file}: ${why}`
}

function dialectLines(survey: DialectSurvey): string[] {
  const { dialect, descriptors, imported, withWarnings, refused, unchanged, waiting, changed, changes, unnamed } = survey
  return [
    `${dialect}: ${descriptors} descriptors, ${imported} imported without edits (${share(imported, descriptors)}), ` +
      `${withWarnings} with warnings; ${descriptors - imported} refused`,
    `  written to capstan.yaml and read again: ${unchanged} unchanged, ${waiting} unchanged but with missing files, ${changed} changed`,
    ...(refused.length > 0 ? [' refused', ...refused.map(({ why }) => `  ${why}`)] : []),
    ...(changes.length > 0 ? [' changed', ...changes.map(reasonLine)] : []),
    ...(unnamed.length > 0 ? [' fields that the import drops without a report', ...unnamed.map(reasonLine)] : []),
  ]
}

function jailLines(jails: Survey['jails']): string[] {
  const unconverted = jails.filter(({ why }) => why !== undefined)
  return [
    `jailed Dockerfiles: ${jails.length} found, ${jails.length - unconverted.length} converted ` +
      `(${share(jails.length - unconverted.length, jails.length)}), ${unconverted.length} not converted`,
    ...unconverted.map(({ file, jail, why }) => `  ${file}: ${jail}: ${why}`),
  ]
}

function composeLines({ files, usable, refused, losses }: ComposeSurvey): string[] {
  return [
    `compose files: ${files} found, ${usable} become containers (${share(usable, files)})`,
    ...(refused.length > 0 ? [' refused', ...refused.map(reasonLine)] : []),
    ...(losses.length > 0 ? [' left out', ...losses.map(({ count, why }) => `  ${count} × ${why}`)] : []),
  ]
}

function total({ dialects }: Survey): string {
  const sum = (of: (survey: DialectSurvey) => number): number => dialects.reduce((whole, each) => whole + of(each), 0)
  const descriptors = sum((each) => each.descriptors)
  const imported = sum((each) => each.imported)
  const same = sum((each) => each.unchanged + each.waiting)
  const unnamed = sum((each) => each.unnamed.length)
  return (
    `all: ${descriptors} descriptors, ${imported} imported without edits (${share(imported, descriptors)}), ` +
    `${same} unchanged after export and another import (${share(same, descriptors)}); ` +
    `the import drops ${unnamed} fields without a report`
  )
}

export function formatSurvey(survey: Survey): string[] {
  return [
    ...survey.dialects.flatMap(dialectLines),
    ...(survey.passedOver.length > 0
      ? [`unknown format: ${survey.passedOver.length}`, ...survey.passedOver.map((file) => `  ${file}`)]
      : []),
    ...jailLines(survey.jails),
    ...composeLines(survey.compose),
    total(survey),
  ]
}
