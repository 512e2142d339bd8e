/** Size of an image, pixels. */
type ImageSize = Readonly<{
  naturalWidth: number
  naturalHeight: number
}>

/** A square of an image: its middle in image pixels, and how often it fits into the image's shorter side (from 1). */
export type Crop = Readonly<{
  x: number
  y: number
  zoom: number
}>

export const zoomMax = 6

/** The largest square, in the middle. */
export function centred(image: ImageSize): Crop {
  return { x: image.naturalWidth / 2, y: image.naturalHeight / 2, zoom: 1 }
}

/** Whether it is the crop that an image begins with: what `object-fit: cover` shows of it in a square. */
export function isCentred(image: ImageSize, crop: Crop): boolean {
  const { x, y, zoom } = centred(image)
  return crop.x === x && crop.y === y && crop.zoom === zoom
}

/** Side of the square in image pixels. */
export function sideOf(image: ImageSize, crop: Crop): number {
  return Math.min(image.naturalWidth, image.naturalHeight) / crop.zoom
}

function between(low: number, value: number, high: number) {
  return Math.min(high, Math.max(low, value))
}

/** The nearest crop that lies inside the image. */
export function inside(image: ImageSize, crop: Crop): Crop {
  const zoom = between(1, crop.zoom, zoomMax)
  const half = sideOf(image, { ...crop, zoom }) / 2
  return {
    x: between(half, crop.x, image.naturalWidth - half),
    y: between(half, crop.y, image.naturalHeight - half),
    zoom,
  }
}

/** Decodes an image file. The caller revokes `src`. Rejects if it is no image that this browser can show. */
export async function loadImage(file: File): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = URL.createObjectURL(file)
  try {
    await image.decode()
    return image
  } catch (error) {
    URL.revokeObjectURL(image.src)
    throw error
  }
}

/** The square as a file of `width` x `width` pixels: WebP, or PNG where the browser cannot write that. */
export async function cutSquare(image: HTMLImageElement, crop: Crop, width: number): Promise<File> {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = width
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot cut images')
  const side = sideOf(image, crop)
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, crop.x - side / 2, crop.y - side / 2, side, side, 0, 0, width, width)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
  if (!blob) throw new Error('This browser cannot cut images')
  return new File([blob], `image.${blob.type.split('/')[1]}`, { type: blob.type })
}
