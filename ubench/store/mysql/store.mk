# build libmariadb-dev   command -v mysql_config || command -v mariadb_config
MYSQL_CONFIG := $(shell command -v mysql_config || command -v mariadb_config)
mysql_has    := $(if $(MYSQL_CONFIG),yes)
mysql_cflags := $(if $(MYSQL_CONFIG),$(patsubst -I%,-isystem %,\
    $(filter -I%,$(shell $(MYSQL_CONFIG) --include))))
mysql_libs   := $(if $(MYSQL_CONFIG),$(shell $(MYSQL_CONFIG) --libs))
mysql_needs  = libmariadb-dev (or libmysqlclient-dev)
