import type { ChallengeEdit } from '@capstan/contract/challenges'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Card } from '../../components/ui/card.tsx'
import { hasContainer, hasFlagList } from './challenge-form.ts'
import styles from './editor.module.css'
import type { SectionName } from './editor-sections.ts'
import { EnabledSwitch } from './enabled-switch.tsx'
import { supplyOf } from './flag-lines.ts'

type CheckName = 'text' | 'flag' | 'template' | 'image' | 'ran' | 'files' | 'enabled'

/** Where it is done: the section, and the control that the cursor is put into. Undefined: here. */
const placeOfCheck: Readonly<Record<CheckName, { readonly section: SectionName; readonly control?: string } | undefined>> = {
  text: { section: 'about', control: 'description' },
  flag: { section: 'flags', control: 'newFlags' },
  template: { section: 'flags', control: 'flagTemplate' },
  files: { section: 'flags' },
  image: { section: 'container', control: 'containerImage' },
  ran: { section: 'container', control: 'startTest' },
  enabled: undefined,
}

interface Check {
  readonly name: CheckName
  readonly isDone: boolean
}

/** What a challenge needs before players see it, by its type. @param teams that take part or wait for review */
export const checksOf = (
  challenge: ChallengeEdit,
  known: { readonly hasRun: boolean; readonly teams: number },
): readonly Check[] => [
  { name: 'text', isDone: challenge.content.trim() !== '' },
  hasFlagList(challenge.type) ? { name: 'flag', isDone: challenge.flags.length > 0 } : { name: 'template', isDone: true },
  ...(challenge.type === 'DynamicAttachment'
    ? [{ name: 'files', isDone: supplyOf(challenge.flags.length, known.teams) !== 'short' } as const]
    : []),
  ...(hasContainer(challenge.type)
    ? ([
        { name: 'image', isDone: challenge.containerImage !== '' },
        { name: 'ran', isDone: known.hasRun },
      ] as const)
    : []),
  { name: 'enabled', isDone: challenge.isEnabled },
]

interface CheckListProps {
  readonly gameId: number
  readonly challenge: ChallengeEdit
  readonly checks: readonly Check[]
  readonly isRunning: boolean
}

/** The way to a playable challenge; turns green step by step, with the switch at its end. */
export function CheckList({ gameId, challenge, checks, isRunning }: CheckListProps) {
  const { t } = useTranslation('admin-challenges')
  return (
    <Card className={styles.checks} aria-label={t('check.label')}>
      <ul className={styles.checkItems}>
        {checks.map(({ name, isDone }) => {
          const place = placeOfCheck[name]
          return (
            <li key={name} data-done={isDone}>
              {isDone ? <CircleCheck aria-hidden /> : <CircleDashed aria-hidden />}
              {place ? (
                <Link to={{ search: `?section=${place.section}`, hash: place.control ?? '' }} preventScrollReset>
                  {t(`check.${name}`)}
                </Link>
              ) : (
                t(`check.${name}`)
              )}
              <span className="visually-hidden">, {t(isDone ? 'check.done' : 'check.open')}</span>
            </li>
          )
        })}
      </ul>
      <EnabledSwitch
        gameId={gameId}
        challenge={challenge}
        isRunning={isRunning}
        label={t('check.enable')}
        hint={t(challenge.isEnabled ? 'check.on' : 'check.off')}
      />
    </Card>
  )
}
