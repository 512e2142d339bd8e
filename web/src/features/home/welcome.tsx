import type { GameSummary } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CapstanLogo } from '../../components/mark.tsx'
import { GamePoster } from '../../components/poster.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Countdown } from '../../components/ui/time.tsx'
import { useConfig } from '../../lib/config.ts'
import { useGame } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import styles from './home.module.css'

type Stage = Readonly<{
  game: GameSummary
  phase: Exclude<GamePhase, 'ended'>
}>

type WelcomeSectionProps = Readonly<{
  stage: Stage | undefined
  /** True while `stage` is unknown. A placeholder then reserves the space of the game. */
  isStageUnknown: boolean
}>

/** Welcome for a first visit: three sentences, two buttons, and the current or next game. */
export function WelcomeSection({ stage, isStageUnknown }: WelcomeSectionProps) {
  const { t } = useTranslation(['home', 'common'])
  const { title } = useConfig()
  return (
    <div className={cx('frame clip', styles.welcome)}>
      <div className={cx('stack gap-3 muted size-16', styles.welcomeText)}>
        <h1 className="bright size-32">{title}</h1>
        <p>
          {t('home:welcome.one')} {t('home:welcome.two')} {t('home:welcome.three')}
        </p>
        <div className="row gap-2">
          <ButtonLink variant="primary" to={paths.register.to()}>
            {t('home:welcome.start')}
          </ButtonLink>
          <ButtonLink to={paths.login.to()}>{t('common:action.logIn')}</ButtonLink>
          <ButtonLink variant="ghost" to={paths.games.to()}>
            {t('home:welcome.look')}
          </ButtonLink>
        </div>
      </div>
      {stage ? (
        <StageGame {...stage} />
      ) : isStageUnknown ? (
        <div className={styles.stage} aria-hidden data-skeleton />
      ) : (
        <div className={styles.emblem}>
          <CapstanLogo size={168} />
        </div>
      )}
    </div>
  )
}

function StageGame({ game, phase }: Stage) {
  const { t } = useTranslation(['home', 'common'])
  const { data: detail } = useGame(game.id)
  const isRunning = phase === 'running'
  return (
    <Link to={paths.game.to(game.id)} className={styles.stage}>
      <GamePoster game={game} className={styles.stagePoster} />
      <span className={styles.stageText}>
        <span className="small">{t(`common:game.phase.${phase}`)}</span>
        <strong className="figure size-20 wrap-anywhere">
          <bdi>{game.title}</bdi>
        </strong>
        <span className="row baseline small">
          <span>{t(isRunning ? 'home:endsIn' : 'home:startsIn')}</span>
          <Countdown until={isRunning ? game.end : game.start} className="figure size-24" />
          {detail && <span>{t('home:welcome.teams', { count: detail.teamCount })}</span>}
        </span>
      </span>
    </Link>
  )
}
