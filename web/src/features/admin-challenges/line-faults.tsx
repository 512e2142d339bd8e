import { useTranslation } from 'react-i18next'
import { FieldError } from '../../components/ui/field.tsx'
import type { FlagLine } from './flag-lines.ts'

const maxShown = 5

type LineFaultsProps = Readonly<{
  lines: readonly FlagLine[]
  /** True if the entries are files. Messages then contain the name of the file. Otherwise they contain the line number. */
  areFiles?: boolean
}>

export function FlagLineFaults({ lines, areFiles }: LineFaultsProps) {
  const { t } = useTranslation('admin-challenges')
  const faulty = lines.flatMap(({ number, flag, fault }) =>
    fault === undefined ? [] : [{ number, flag, fault: t(`flags.fault.${fault}`) }],
  )
  if (faulty.length === 0) return null
  return (
    <FieldError>
      {faulty.slice(0, maxShown).map(({ number, flag, fault }) => (
        <span key={number} className="stack gap-1 wrap-anywhere">
          {areFiles ? t('flags.fileLine', { name: flag, fault }) : t('flags.line', { number, fault })}
        </span>
      ))}
      {faulty.length > maxShown && t('flags.more', { count: faulty.length - maxShown })}
    </FieldError>
  )
}
