/** Administration: system log. */
export default {
  title: 'Registro',
  search: 'Buscar en el registro',
  searchHint: 'Mensaje, cuenta, dirección o resultado',
  level: 'Nivel',
  levels: {
    All: 'Todos',
    Information: 'Información',
    Warning: 'Aviso',
    Error: 'Error',
    Fatal: 'Fatal',
  },
  table: 'Registro del sistema',
  column: {
    time: 'Hora',
    level: 'Nivel',
    user: 'Cuenta',
    address: 'Dirección',
    result: 'Resultado',
    message: 'Mensaje',
  },
  ordered: 'Ordenadas las {{number}} entradas más recientes',
  through: 'Buscando en las entradas {{from}} a {{to}}, las más nuevas primero',
  failed: 'No se ha podido cargar el registro',
  emptyTitle: 'El registro está vacío',
  emptyText:
    'Aquí aparecen inicios de sesión, acciones de equipos, instancias, flags juzgadas, cambios de administradores y fallos.',
  noneTitle: 'Sin resultados',
  noneText: 'Sin resultados en las entradas {{from}} a {{to}}. Las anteriores están en las páginas siguientes.',
  noneLevel: 'Ninguna entrada de este nivel',
  noneLevelText: 'Las nuevas aparecen aquí automáticamente.',
  clear: 'Borrar búsqueda y nivel',
} as const
