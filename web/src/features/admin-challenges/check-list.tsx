import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import { lacksFlag } from '@capstan/contract/challenge-parts'
import { hasContainer, hasFlagList } from '@capstan/contract/challenge-types'
import type { AdminGame } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import styles from './editor.module.css'
import type { SectionName } from './editor-sections.ts'
import { EnabledSwitch } from './enabled-switch.tsx'
import { hasEnoughFiles, type rateFlagFileSupply } from './flag-lines.ts'

type CheckName = 'text' | 'flag' | 'template' | 'image' | 'ran' | 'files' | 'enabled'

/**
 * Editor section and control for each check. The check `enabled` has no place in the editor, because the checklist contains its
 * switch.
 */
const placeOfCheck: Readonly<Record<CheckName, Readonly<{ section: SectionName; control?: string }> | undefined>> = {
  text: { section: 'about', control: 'description' },
  flag: { section: 'flags', control: 'newFlags' },
  template: { section: 'flags', control: 'flagTemplate' },
  files: { section: 'flags' },
  image: { section: 'container', control: 'containerImage' },
  ran: { section: 'container', control: 'startTest' },
  enabled: undefined,
}

type Check = Readonly<{
  name: CheckName
  isDone: boolean
}>

export function listChallengeChecks(
  challenge: Challenge,
  known: Readonly<{ hasRun: boolean; supply: ReturnType<typeof rateFlagFileSupply> }>,
): readonly Check[] {
  return [
    { name: 'text', isDone: challenge.description.trim() !== '' },
    hasFlagList(challenge.type) ? { name: 'flag', isDone: !lacksFlag(challenge) } : { name: 'template', isDone: true },
    ...(challenge.type === 'DynamicAttachment' ? [{ name: 'files', isDone: hasEnoughFiles(known.supply) } as const] : []),
    ...(hasContainer(challenge.type)
      ? ([
          { name: 'image', isDone: challenge.containers.every(({ image }) => image !== '') },
          { name: 'ran', isDone: known.hasRun },
        ] as const)
      : []),
    { name: 'enabled', isDone: challenge.enabled },
  ]
}

/** Returns the key of the message that says when players see an enabled challenge. */
function visibilityOf({ hidden, practiceMode }: Pick<AdminGame, 'hidden' | 'practiceMode'>, phase: GamePhase) {
  if (phase === 'ended') return practiceMode ? 'check.seen.practice' : 'check.seen.over'
  if (phase === 'upcoming') return hidden ? 'check.seen.published' : 'check.seen.started'
  return hidden ? 'check.seen.linked' : 'check.seen.now'
}

type CheckListProps = Readonly<{
  game: AdminGame
  whole: FullChallenge
  checks: readonly Check[]
  phase: GamePhase
}>

/** List of a challenge's checks, and a switch that enables the challenge. */
export function ChallengeCheckList({ game, whole: { id, challenge }, checks, phase }: CheckListProps) {
  const { t } = useTranslation('admin-challenges')
  return (
    <Card className={cx('row row-between', styles.checks)} aria-label={t('check.label')}>
      <ul className={cx('row muted small', styles.checkItems)}>
        {checks.map(({ name, isDone }) => {
          const place = placeOfCheck[name]
          return (
            <li key={name} className="line" data-done={isDone}>
              {isDone ? <CircleCheck aria-hidden /> : <CircleDashed aria-hidden />}
              {place ? (
                <Link
                  className="quiet"
                  to={{ search: `?section=${place.section}`, hash: place.control ?? '' }}
                  preventScrollReset
                >
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
        gameId={game.id}
        challenge={{ id, title: challenge.title, isEnabled: challenge.enabled }}
        isRunning={phase === 'running'}
        label={t('check.enable')}
        hint={t(challenge.enabled ? visibilityOf(game, phase) : 'check.off')}
      />
    </Card>
  )
}
