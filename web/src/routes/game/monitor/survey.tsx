import { ownOperations } from '@capstan/contract/operations'
import { Download, Star } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { DownloadButton } from '../../../components/ui/download-link.tsx'
import { SkeletonLines } from '../../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../../components/ui/states.tsx'
import { Toolbar } from '../../../components/ui/toolbar.tsx'
import { SurveyResultCard } from '../../../features/monitor/survey-results.tsx'
import { useGameId } from '../../../lib/game.ts'
import { addressOfCall } from '../../../lib/http.ts'
import { useCall } from '../../../lib/server-state.ts'

const sheets = [
  ['xlsx', ownOperations.downloadSurvey],
  ['csv', ownOperations.downloadSurveyCsv],
] as const

/** Results of the survey after a game, for organizers. */
export function Route() {
  const { t } = useTranslation(['survey', 'monitor'])
  const params = { id: useGameId() }
  const { data, error, mutate } = useCall(ownOperations.getSurveyResults, { params })
  const hasAnswers = data?.results.some(({ answers }) => answers > 0)
  return (
    <PageLayout title={t('monitor:survey')} hideTitle>
      {!data && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={6} />)}
      {data && !hasAnswers && (
        <EmptyState icon={Star} title={t('survey:emptyTitle')}>
          {t(data.mode === 'Off' ? 'survey:off' : 'survey:emptyText')}
        </EmptyState>
      )}
      {data && hasAnswers && (
        <div className="stack">
          <Toolbar
            end={
              <span className="row gap-2">
                {sheets.map(([name, operation]) => (
                  <DownloadButton key={name} size="small" href={addressOfCall(operation, { params })}>
                    <Download aria-hidden />
                    {t(`monitor:submission.${name}`)}
                  </DownloadButton>
                ))}
              </span>
            }
          >
            <p className="muted">{t(`survey:mode.${data.mode}`)}</p>
          </Toolbar>
          {data.results.map((result) => (
            <SurveyResultCard key={result.challengeId} result={result} />
          ))}
        </div>
      )}
    </PageLayout>
  )
}
