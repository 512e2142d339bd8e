import { ZoomIn } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { type Crop, limitCropToImage, maxZoom, sideLengthOfCrop } from './crop.ts'
import { cx } from './cx.ts'
import styles from './image-crop.module.css'

type ImageCropProps = Readonly<{
  image: HTMLImageElement
  crop: Crop
  onCropChange: (crop: Crop) => void
  /** Accessible names of the crop area and the zoom. */
  label: string
  zoomLabel: string
}>

/** Side length of the crop area on screen, in pixels. */
const area = 256

/** Control that selects a square crop of an image by dragging, wheel, arrow keys or zoom. */
export function ImageCrop({ image, crop, onCropChange, label, zoomLabel }: ImageCropProps) {
  const dragged = useRef<{ x: number; y: number }>(undefined)
  /** Number of screen pixels per image pixel. */
  const scale = area / sideLengthOfCrop(image, crop)
  const change = (next: Partial<Crop>) => onCropChange(limitCropToImage(image, { ...crop, ...next }))
  const drag = (event: PointerEvent) => {
    const from = dragged.current
    if (!from) return
    dragged.current = { x: event.clientX, y: event.clientY }
    change({ x: crop.x - (event.clientX - from.x) / scale, y: crop.y - (event.clientY - from.y) / scale })
  }
  const press = (event: KeyboardEvent) => {
    const step = (event.shiftKey ? 32 : 8) / scale
    const moves: Record<string, Partial<Crop>> = {
      ArrowLeft: { x: crop.x - step },
      ArrowRight: { x: crop.x + step },
      ArrowUp: { y: crop.y - step },
      ArrowDown: { y: crop.y + step },
      '+': { zoom: crop.zoom + 0.2 },
      '-': { zoom: crop.zoom - 0.2 },
    }
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    change(move)
  }
  return (
    <div className={cx('stack gap-3', styles.cropper)}>
      {/* biome-ignore lint/a11y/useSemanticElements: HTML has no element for an area that pans */}
      <div
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys pan the area
        tabIndex={0}
        className={styles.area}
        onKeyDown={press}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          dragged.current = { x: event.clientX, y: event.clientY }
        }}
        onPointerMove={drag}
        onPointerUp={() => {
          dragged.current = undefined
        }}
        onPointerCancel={() => {
          dragged.current = undefined
        }}
        onWheel={(event) => change({ zoom: crop.zoom * (event.deltaY < 0 ? 1.08 : 1 / 1.08) })}
      >
        <img
          src={image.src}
          alt=""
          draggable={false}
          style={{
            inlineSize: image.naturalWidth * scale,
            blockSize: image.naturalHeight * scale,
            translate: `${area / 2 - crop.x * scale}px ${area / 2 - crop.y * scale}px`,
          }}
        />
      </div>
      <label className={cx('line gap-3 muted', styles.zoom)}>
        <ZoomIn aria-hidden />
        <span className="visually-hidden">{zoomLabel}</span>
        <input
          type="range"
          min={1}
          max={maxZoom}
          step={0.05}
          value={crop.zoom}
          onChange={(event) => change({ zoom: Number(event.target.value) })}
        />
      </label>
    </div>
  )
}
