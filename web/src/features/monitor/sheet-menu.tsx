import { operations, ownOperations } from '@capstan/contract/operations'
import { FileSpreadsheet, FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { downloadFile } from '../../components/ui/download-link.tsx'
import { Menu, MenuItem } from '../../components/ui/dropdown-menu.tsx'
import { addressOf } from '../../lib/http.ts'

type SheetMenuProps = Readonly<{
  trigger: ReactNode
  gameId: number
}>

/**
 * Menu with the file formats for the table of submissions. Its code loads when the user clicks the button, so the menu is open
 * from its first render.
 */
export function SheetMenu({ trigger, gameId }: SheetMenuProps) {
  const { t } = useTranslation('monitor')
  const params = { id: gameId }
  return (
    <Menu trigger={trigger} defaultOpen>
      <MenuItem
        icon={<FileSpreadsheet aria-hidden />}
        onSelect={() => void downloadFile(addressOf(operations.downloadSubmissions, { params }))}
      >
        {t('submission.xlsx')}
      </MenuItem>
      <MenuItem
        icon={<FileText aria-hidden />}
        onSelect={() => void downloadFile(addressOf(ownOperations.downloadSubmissionsCsv, { params }))}
      >
        {t('submission.csv')}
      </MenuItem>
    </Menu>
  )
}
