import { operations, ownOperations } from '@capstan/contract/operations'
import { FileSpreadsheet, FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { downloadFile } from '../../components/ui/download-link.tsx'
import { MenuItem, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { addressOfCall } from '../../lib/http.ts'

type SheetMenuProps = Readonly<{
  trigger: ReactNode
  gameId: number
}>

/**
 * Menu with the file formats for the table of submissions. Its code loads when the user clicks the button, so the menu is open
 * from its first render.
 */
export function SubmissionsDownloadMenu({ trigger, gameId }: SheetMenuProps) {
  const { t } = useTranslation('monitor')
  const params = { id: gameId }
  return (
    <PopupMenu trigger={trigger} defaultOpen>
      <MenuItem
        icon={<FileSpreadsheet aria-hidden />}
        onSelect={() => void downloadFile(addressOfCall(operations.downloadSubmissions, { params }))}
      >
        {t('submission.xlsx')}
      </MenuItem>
      <MenuItem
        icon={<FileText aria-hidden />}
        onSelect={() => void downloadFile(addressOfCall(ownOperations.downloadSubmissionsCsv, { params }))}
      >
        {t('submission.csv')}
      </MenuItem>
    </PopupMenu>
  )
}
