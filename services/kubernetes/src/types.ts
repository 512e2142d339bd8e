export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
}

export interface ObjectMeta {
  name: string
  namespace?: string
  uid: string
  resourceVersion: string
  generation?: number
  creationTimestamp: string
  deletionTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
}

/** Drops managed fields. They are often half of an object, and no code here reads them. */
export function removeManagedFields(metadata: ObjectMeta): ObjectMeta {
  const { managedFields, ...slim } = metadata as ObjectMeta & { managedFields?: unknown }
  return managedFields === undefined ? metadata : slim
}

export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

/** Desired object, which contains only the fields that we manage. */
export interface DesiredObject {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    ownerReferences?: OwnerReference[]
  }
  spec?: unknown
}

/** Kind of Kubernetes objects. `T` is the type of the objects. */
export interface Resource<T extends KubeObject = KubeObject> {
  apiVersion: string
  kind: string
  plural: string
  /** Marker for the type of the objects. It has no value at runtime. */
  shape?: T
}

/** Key in the form `namespace/name`, or the name alone for a cluster-wide object. */
export type ObjectKey = string

/** Returns the key of an object in caches and queues. */
export function objectKeyOf(object: { metadata: { name: string; namespace?: string } }): ObjectKey {
  return object.metadata.namespace === undefined ? object.metadata.name : `${object.metadata.namespace}/${object.metadata.name}`
}

/** Returns the path of a collection, or of one object and its subresource. */
export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  const root = resource.apiVersion.includes('/') ? `/apis/${resource.apiVersion}` : `/api/${resource.apiVersion}`
  const parts = [root]
  if (namespace !== undefined) parts.push('namespaces', encodeURIComponent(namespace))
  parts.push(resource.plural)
  if (name !== undefined) parts.push(encodeURIComponent(name))
  if (subresource !== undefined) parts.push(subresource)
  return parts.join('/')
}

/**
 * Returns the UID of the controlling owner.
 * @returns undefined if there is none
 */
export function controllerUid(object: { metadata: { ownerReferences?: OwnerReference[] } }): string | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
}
