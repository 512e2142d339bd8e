import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import type { FormFaults } from './container-faults.ts'
import { listPortRows } from './container-form.ts'
import { listNetworkRows, type TypedContainer } from './containers-form.ts'
import styles from './containers-picture.module.css'
import { layOutContainersPicture, rowHeight } from './picture-layout.ts'

type ContainersPictureProps = Readonly<{
  containers: readonly TypedContainer[]
  faults: readonly FormFaults[]
  selected: number
  onSelect: (index: number) => void
}>

const playersWidth = 72
const arrow = 5

/** Returns the numbers of the ports that are published to players. */
function publishedPortsOf(container: TypedContainer): string[] {
  const further = listPortRows(container).flatMap(({ row: { port, speaks } }) => (speaks === 'inner' ? [] : [port.trim()]))
  return container.port === '' ? further : [container.port, ...further]
}

/** Diagram with the containers of a challenge. Lines connect the containers with players and networks. */
export function ContainersPicture({ containers, faults, selected, onSelect }: ContainersPictureProps) {
  const { t } = useTranslation('admin-container')
  const { t: tChallenges } = useTranslation('admin-challenges')
  const drawn = containers.map((container) => ({
    networks: listNetworkRows(container).map(({ row }) => row.name.trim()),
    ports: publishedPortsOf(container),
  }))
  const picture = layOutContainersPicture(drawn)
  const { height, headHeight, lanesWidth, networks, players } = picture
  return (
    <div className={cx('well', styles.picture)}>
      <svg className={styles.lanes} width={playersWidth} height={height} aria-hidden>
        {players && (
          <g className={styles.players}>
            <text x={0} y={headHeight - 8}>
              {t('picture.players')}
            </text>
            <line x1={6} x2={6} y1={players.top} y2={players.bottom} />
            {players.stops.map((y) => (
              <g key={y}>
                <line x1={6} x2={playersWidth - 2} y1={y} y2={y} />
                <path d={`M ${playersWidth - 2 - arrow} ${y - arrow} l ${arrow} ${arrow} l ${-arrow} ${arrow}`} />
              </g>
            ))}
            {picture.portLabels.map((label, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: labels have no identity except their position
              <text key={row} className={styles.port} x={12} y={headHeight + row * rowHeight + rowHeight / 2 - 6}>
                {label}
              </text>
            ))}
          </g>
        )}
      </svg>
      <ol aria-label={t('containers.title')} className={styles.rows} style={{ paddingBlockStart: headHeight }}>
        {containers.map((container, index) => {
          const isFaulty = Object.keys(faults[index] ?? {}).length > 0
          return (
            <li key={container.key} style={{ blockSize: rowHeight }}>
              <button
                type="button"
                className={styles.container}
                aria-current={index === selected ? 'true' : undefined}
                data-faulty={isFaulty || undefined}
                onClick={() => onSelect(index)}
              >
                <span className="line baseline small tight">
                  <b className="truncate">{container.name}</b>
                  {index === 0 && <span className="tiny muted">{t('containers.entry')}</span>}
                </span>
                <span className="truncate tiny muted">{container.image || t('picture.noImage')}</span>
                <span className="visually-hidden">
                  {t('picture.networks', { names: drawn[index]?.networks.join(', ') })}{' '}
                  {drawn[index]?.ports.length
                    ? t('picture.published', { ports: drawn[index].ports.join(', ') })
                    : t('picture.inner')}
                  {isFaulty && ` ${tChallenges('section.fault')}`}
                </span>
              </button>
            </li>
          )
        })}
      </ol>
      <svg className={styles.lanes} width={lanesWidth} height={height} aria-hidden>
        {networks.map(({ name, x, top, bottom, labelY, stops }) => (
          <g key={name} data-selected={drawn[selected]?.networks.includes(name) || undefined}>
            <text x={x - 8} y={labelY} dy="0.35em" textAnchor="end">
              {name}
            </text>
            <line x1={x} x2={x} y1={top} y2={bottom} />
            {stops.map((y) => (
              <g key={y}>
                <line x1={0} x2={x} y1={y} y2={y} />
                <circle cx={x} cy={y} r={4} />
              </g>
            ))}
          </g>
        ))}
      </svg>
    </div>
  )
}
