"""What Diarist does, in terms of ports and stages. Surfaces call `app.memory.Memory`; nothing here names a concrete adapter."""
