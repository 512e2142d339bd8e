import type { GameDetail } from '@capstan/contract/games'
import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ExactTimeTooltip } from '../../components/ui/tooltip.tsx'
import { formatDateTime, formatDuration, formatNumber } from '../../lib/format.ts'
import styles from './overview.module.css'

export function GameKeyData({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation('games')
  const divisions = game.organizations ?? []
  const guarded = game.organizationCodesRequired ?? []
  return (
    <Card title={t('facts.title')}>
      <dl className={styles.facts}>
        {game.teamName && (
          <Fact name={t('yourTeam')}>
            <bdi>{game.teamName}</bdi>
          </Fact>
        )}
        {game.organization && (
          <Fact name={t('division')}>
            <bdi>{game.organization}</bdi>
          </Fact>
        )}
        <Fact name={t('facts.start')}>
          <Time at={game.start} />
        </Fact>
        <Fact name={t('facts.end')}>
          <Time at={game.end} />
        </Fact>
        {game.registrationOpens != null && (
          <Fact name={t('facts.registrationOpens')}>
            <Time at={new Date(game.registrationOpens).toISOString()} />
          </Fact>
        )}
        {game.registrationCloses != null && (
          <Fact name={t('facts.registrationCloses')}>
            <Time at={new Date(game.registrationCloses).toISOString()} />
          </Fact>
        )}
        <Fact name={t('facts.length')}>{formatDuration(Date.parse(game.end) - Date.parse(game.start))}</Fact>
        <Fact name={t('facts.teamSize')}>{game.limit > 0 ? t('facts.sizeUpTo', { count: game.limit }) : t('facts.sizeAny')}</Fact>
        <Fact name={t('facts.teams')}>{formatNumber(game.teamCount)}</Fact>
        {game.teamLimit != null && (
          <Fact name={t('facts.places')}>{t('facts.placesFree', { free: game.freePlaces ?? 0, count: game.teamLimit })}</Fact>
        )}
        {divisions.length > 0 && (
          <Fact name={t('facts.divisions')}>
            <span className={cx('row gap-1 row-end', styles.divisions)}>
              {divisions.map((division) => (
                <Badge key={division}>
                  <bdi className="truncate">{division}</bdi>
                  {guarded.includes(division) && (
                    <>
                      <KeyRound aria-hidden />
                      <span className="visually-hidden">{t('facts.codeNeeded')}</span>
                    </>
                  )}
                </Badge>
              ))}
            </span>
          </Fact>
        )}
        {game.inviteCodeRequired && <Fact name={t('facts.invite')}>{t('facts.inviteYes')}</Fact>}
        {game.writeupRequired && <Fact name={t('facts.writeup')}>{t('facts.writeupYes')}</Fact>}
        <Fact name={t('facts.practice')}>{game.practiceMode ? t('facts.practiceYes') : t('facts.practiceNo')}</Fact>
      </dl>
      <p className="faint tiny ruled above-4">
        {t('clock.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ') })}
        {game.hidden && ` · ${t('facts.hidden')}`}
      </p>
    </Card>
  )
}

function Fact({ name, children }: Readonly<{ name: string; children: ReactNode }>) {
  return (
    <div>
      <dt className="muted">{name}</dt>
      <dd className="number wrap-anywhere">{children}</dd>
    </div>
  )
}

function Time({ at }: { readonly at: string }) {
  return (
    <ExactTimeTooltip at={at}>
      <time dateTime={at}>{formatDateTime(at)}</time>
    </ExactTimeTooltip>
  )
}
