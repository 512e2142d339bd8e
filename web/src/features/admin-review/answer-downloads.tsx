import { ownOperations } from '@capstan/contract/operations'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { addressOfCall } from '../../lib/http.ts'

const downloads = [
  ['xlsx', ownOperations.downloadAnswers],
  ['csv', ownOperations.downloadAnswersCsv],
  ['files', ownOperations.downloadAnswerFiles],
] as const

/** Buttons that download all answers to the questions of the registration. */
export function AnswerDownloads({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('admin-review')
  return (
    <div className="row gap-2">
      {downloads.map(([name, operation]) => (
        <DownloadButton key={name} size="small" href={addressOfCall(operation, { params: { id: gameId } })}>
          <Download aria-hidden />
          {t(`answers.${name}`)}
        </DownloadButton>
      ))}
    </div>
  )
}
