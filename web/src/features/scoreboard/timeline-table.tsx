import { useTranslation } from 'react-i18next'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { formatDay, formatNumber, formatTime } from '../../lib/format.ts'
import { getScoreAt, listEvenlySpacedTimes, type TimelineLine, type TimelineSpan } from './timeline.ts'

const columnCount = 8

/** Table with the data of the chart: the scores of the ten teams at eight points in time. */
export function TimelineTable({ lines, span }: Readonly<{ lines: readonly TimelineLine[]; span: TimelineSpan }>) {
  const { t } = useTranslation('scoreboard')
  const moments = listEvenlySpacedTimes(span, columnCount)
  return (
    <Table label={t('chart.table')} dense>
      <thead>
        <tr>
          <th scope="col">{t('column.rank')}</th>
          <th scope="col">{t('column.team')}</th>
          {moments.map((at) => (
            <th key={at} scope="col" className={tableEnd}>
              {formatDay(at)}
              <br />
              {formatTime(at)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.teamId}>
            <td>{line.place}</td>
            <th scope="row" className="nowrap">
              <bdi>{line.name}</bdi>
            </th>
            {moments.map((at) => (
              <td key={at} className={tableEnd}>
                {formatNumber(getScoreAt(line, at))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
